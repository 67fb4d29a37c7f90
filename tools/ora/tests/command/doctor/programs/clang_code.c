/* Calls as clang's code does. */
void __kmpc_fork_call(void);

int main(void)
{
    __kmpc_fork_call();
    return 0;
}
