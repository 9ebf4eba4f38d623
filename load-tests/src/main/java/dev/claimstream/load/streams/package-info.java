/** The whole system in one JVM, and a load generator. */
@NullMarked
package dev.claimstream.load.streams;

import org.jspecify.annotations.NullMarked;
