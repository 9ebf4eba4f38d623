/** The watcher: publishes the objects of a Kubernetes cluster. */
@NullMarked
package dev.claimstream.watcher;

import org.jspecify.annotations.NullMarked;
