/* The part of TAU's wrapper of libgomp that TAU calls. */
static const int proxy;
const void *Tau_get_gomp_proxy_address(void);
const void *Tau_get_gomp_proxy_address(void) { return &proxy; }
