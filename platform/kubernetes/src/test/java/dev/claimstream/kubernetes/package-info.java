@NullMarked
package dev.claimstream.kubernetes;

import org.jspecify.annotations.NullMarked;
