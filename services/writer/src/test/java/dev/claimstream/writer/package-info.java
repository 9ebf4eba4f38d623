@NullMarked
package dev.claimstream.writer;

import org.jspecify.annotations.NullMarked;
