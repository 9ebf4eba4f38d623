/** The writer: carries decisions out. */
@NullMarked
package dev.claimstream.writer;

import org.jspecify.annotations.NullMarked;
