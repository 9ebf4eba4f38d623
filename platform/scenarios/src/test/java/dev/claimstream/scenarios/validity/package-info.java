/** Validation of allocations against every rule of the API, independent of the solver. */
@NullMarked
package dev.claimstream.scenarios.validity;

import org.jspecify.annotations.NullMarked;
