/** Whether a cluster is as Claimstream needs it: facts, and what follows from them. Nothing here asks a server. */
@NullMarked
package dev.claimstream.kubernetes.doctor;

import org.jspecify.annotations.NullMarked;
