/** What the services want of a cluster, whoever is behind it. */
@NullMarked
package dev.claimstream.kubernetes;

import org.jspecify.annotations.NullMarked;
