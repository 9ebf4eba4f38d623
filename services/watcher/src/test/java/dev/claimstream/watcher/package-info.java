@NullMarked
package dev.claimstream.watcher;

import org.jspecify.annotations.NullMarked;
