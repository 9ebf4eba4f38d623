/** The writer: commits decisions to the API server. */
@NullMarked
package dev.claimstream.writer;

import org.jspecify.annotations.NullMarked;
