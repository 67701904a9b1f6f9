/* libuv as Swift sees it. Casts that C does with a shrug are spelled here, where a C compiler
 * still checks the argument. */
#pragma once
#include <uv.h>
