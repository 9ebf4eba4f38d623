@NullMarked
package dev.claimstream.process.access;

import org.jspecify.annotations.NullMarked;
