/* License: free. */
#include <stdio.h>

#define LIMIT 10
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

static int add(int a, int b);

struct point {
    int x;
    int y;
};

typedef struct {
    char *name;
} person;

typedef int (*callback)(int);

enum color { RED, GREEN };

static const char *names[] = {"a", "b"};
int counter = 0;
struct point origin;

/* Adds. */
static int
add(int a, int b)
{
    return a + b;
}

char *name_of(const person *p) { return p->name; }

#ifdef DEBUG
void dump(void) {
    printf("x");
}
#endif

static void (*hook(int x))(int)
{
    return 0;
}
