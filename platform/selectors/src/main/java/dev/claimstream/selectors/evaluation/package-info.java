/** Evaluates checked expressions as CEL for Go does: errors are values, accumulators grow in place, and every node has a cost. */
@org.jspecify.annotations.NullMarked
package dev.claimstream.selectors.evaluation;
