/** Files that state the expected allocation of claims, and the runner that checks them. */
@NullMarked
package dev.claimstream.scenarios;

import org.jspecify.annotations.NullMarked;
