/** The CEL environment of device selectors. {@link dev.claimstream.selectors.CelSelectors} is the entry point. */
@NullMarked
package dev.claimstream.selectors;

import org.jspecify.annotations.NullMarked;
