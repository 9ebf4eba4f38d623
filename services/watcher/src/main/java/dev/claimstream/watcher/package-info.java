/** The watcher: tells the log what Kubernetes holds. */
@NullMarked
package dev.claimstream.watcher;

import org.jspecify.annotations.NullMarked;
