/** The whole system in this JVM, and traffic for it. */
@NullMarked
package dev.claimstream.load.streams;

import org.jspecify.annotations.NullMarked;
