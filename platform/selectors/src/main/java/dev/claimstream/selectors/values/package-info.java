/** The values of the evaluator: devices and the types that Kubernetes adds to CEL. Internal to this module. */
@NullMarked
package dev.claimstream.selectors.values;

import org.jspecify.annotations.NullMarked;
