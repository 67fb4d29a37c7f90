/* No OpenMP at all. */
int main(void)
{
    return 0;
}
