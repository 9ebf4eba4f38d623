@NullMarked
package dev.claimstream.kubernetes.controlplane;

import org.jspecify.annotations.NullMarked;
