@NullMarked
package dev.claimstream.observability;

import org.jspecify.annotations.NullMarked;
