@NullMarked
package dev.claimstream.kubernetes.api;

import org.jspecify.annotations.NullMarked;
