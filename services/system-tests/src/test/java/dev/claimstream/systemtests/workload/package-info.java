/** Objects that the tests create, their simulated users, and programs that verify the outcome. */
@NullMarked
package dev.claimstream.systemtests.workload;

import org.jspecify.annotations.NullMarked;
