/** The CEL environment of device selectors. */
@NullMarked
package dev.claimstream.selectors;

import org.jspecify.annotations.NullMarked;
