/* `stat` and its kin, which the C library had in an archive until glibc 2.33 (libc_nonshared.a): they pass the version
   of `struct stat`, which is 1 on x86-64 and 0 elsewhere (bits/stat.h, _STAT_VER_LINUX). */

#ifdef __x86_64__
enum { VERSION = 1 };
#else
enum { VERSION = 0 };
#endif

int __xstat(int, const char *, void *), __xstat64(int, const char *, void *);
int __lxstat(int, const char *, void *), __lxstat64(int, const char *, void *);
int __fxstat(int, int, void *), __fxstat64(int, int, void *);
int __fxstatat(int, int, const char *, void *, int), __fxstatat64(int, int, const char *, void *, int);

int stat(const char *path, void *to) { return __xstat(VERSION, path, to); }
int stat64(const char *path, void *to) { return __xstat64(VERSION, path, to); }
int lstat(const char *path, void *to) { return __lxstat(VERSION, path, to); }
int lstat64(const char *path, void *to) { return __lxstat64(VERSION, path, to); }
int fstat(int file, void *to) { return __fxstat(VERSION, file, to); }
int fstat64(int file, void *to) { return __fxstat64(VERSION, file, to); }
int fstatat(int folder, const char *path, void *to, int flags) { return __fxstatat(VERSION, folder, path, to, flags); }
int fstatat64(int folder, const char *path, void *to, int flags) { return __fxstatat64(VERSION, folder, path, to, flags); }
