/** Checks whether a cluster meets the needs of Claimstream: facts and the findings from them. This package sends no requests. */
@NullMarked
package dev.claimstream.kubernetes.doctor;

import org.jspecify.annotations.NullMarked;
