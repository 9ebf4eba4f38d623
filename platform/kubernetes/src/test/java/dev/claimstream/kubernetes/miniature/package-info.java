@NullMarked
package dev.claimstream.kubernetes.miniature;

import org.jspecify.annotations.NullMarked;
