/** Tests of the comparison of allocators: its runs, its table and its goals. */
@NullMarked
package dev.claimstream.load.beside;

import org.jspecify.annotations.NullMarked;
