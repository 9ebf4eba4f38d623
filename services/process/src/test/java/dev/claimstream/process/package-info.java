@NullMarked
package dev.claimstream.process;

import org.jspecify.annotations.NullMarked;
