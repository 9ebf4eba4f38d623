@NullMarked
package dev.claimstream.audit.streams;

import org.jspecify.annotations.NullMarked;
