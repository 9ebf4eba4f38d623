@NullMarked
package dev.claimstream.kubernetes.status;

import org.jspecify.annotations.NullMarked;
