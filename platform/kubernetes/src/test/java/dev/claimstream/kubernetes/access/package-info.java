@NullMarked
package dev.claimstream.kubernetes.access;

import org.jspecify.annotations.NullMarked;
