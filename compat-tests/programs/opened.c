/* A library without a tool. */
int opened(void);
int opened(void) { return 1; }
