/* Preloaded into a program, keeps in $POWER_CUT what a power cut would leave of its files: their
   content as of their last sync, and the names in a directory as of the directory's last sync. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A number alone may be given to another file once this one is deleted. */
static int name_of(int at, const char *path, int flags, char *name, size_t size, int *is_dir) {
    struct statx found;
    if (statx(at, path, flags | AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &found))
        return -1;
    *is_dir = S_ISDIR(found.stx_mode);
    return snprintf(name, size, "%llu-%lld.%u", (unsigned long long)found.stx_ino,
                    (long long)found.stx_btime.tv_sec, found.stx_btime.tv_nsec);
}

static FILE *draft(char *made, size_t size, const char *kept) {
    snprintf(made, size, "%s.%d.new", kept, gettid());
    return fopen(made, "w");
}

static void keep_names(int fd, const char *kept) {
    char made[9000], name[200];
    int is_dir;
    DIR *listing = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY));
    FILE *out = draft(made, sizeof made, kept);
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (name_of(fd, entry->d_name, 0, name, sizeof name, &is_dir) > 0)
            fprintf(out, "%s\t%s\n", is_dir ? "/" : name, entry->d_name);
    }
    fclose(out);
    closedir(listing);
    rename(made, kept);
}

static void keep_content(int fd, const char *kept) {
    char made[9000], block[65536];
    ssize_t got;
    off_t at = 0;
    /* Closing another descriptor of the file would end the locks of this process on it. */
    int from = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY ? -1 : fd;
    if (from < 0) {
        char own[64];
        snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
        from = open(own, O_RDONLY);
    }
    FILE *out = draft(made, sizeof made, kept);
    while ((got = pread(from, block, sizeof block, at)) > 0) {
        fwrite(block, 1, got, out);
        at += got;
    }
    fclose(out);
    if (from != fd) close(from);
    rename(made, kept);
}

static void keep(int fd) {
    char own[64], path[4097] = {0}, name[200], kept[8500];
    int is_dir;
    const char *folder = getenv("POWER_CUT");
    if (!folder || name_of(fd, "", AT_EMPTY_PATH, name, sizeof name, &is_dir) < 0) return;
    if (!is_dir) {
        snprintf(kept, sizeof kept, "%s/%s", folder, name);
        keep_content(fd, kept);
        return;
    }
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    if (readlink(own, path, sizeof path - 1) < 0) return;
    for (char *c = path; *c; c++)
        if (*c == '/') *c = '%';
    snprintf(kept, sizeof kept, "%s/%s", folder, path);
    keep_names(fd, kept);
}

int fsync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    int failed = real(fd);
    if (!failed) keep(fd);
    return failed;
}

int fdatasync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    int failed = real(fd);
    if (!failed) keep(fd);
    return failed;
}
