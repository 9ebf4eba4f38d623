/** The functions that Kubernetes adds to CEL, each with its declaration and implementation. Internal to this module. */
@NullMarked
package dev.claimstream.selectors.functions;

import org.jspecify.annotations.NullMarked;
