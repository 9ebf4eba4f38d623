/** Evaluates checked expressions as CEL for Go does: errors are values, lists grow in place, and every node tells what it costs. */
@org.jspecify.annotations.NullMarked
package dev.claimstream.selectors.evaluation;
