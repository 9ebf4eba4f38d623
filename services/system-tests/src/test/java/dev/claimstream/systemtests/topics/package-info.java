/** Tests of the records in the topics: those of Claimstream, and those of foreign producers. */
@NullMarked
package dev.claimstream.systemtests.topics;

import org.jspecify.annotations.NullMarked;
