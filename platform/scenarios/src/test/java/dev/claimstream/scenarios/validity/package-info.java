/** Whether allocations keep every rule of the API, said by code that knows nothing of how they were found. */
@NullMarked
package dev.claimstream.scenarios.validity;

import org.jspecify.annotations.NullMarked;
