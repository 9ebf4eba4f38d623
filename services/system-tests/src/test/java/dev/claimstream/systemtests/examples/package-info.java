/** Tests that the examples and programs below {@code deploy} do what their pages say. */
@NullMarked
package dev.claimstream.systemtests.examples;

import org.jspecify.annotations.NullMarked;
