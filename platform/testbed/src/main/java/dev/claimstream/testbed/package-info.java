/** Programs of the test bed, in processes of their own, for tests and load tests. */
@NullMarked
package dev.claimstream.testbed;

import org.jspecify.annotations.NullMarked;
