@NullMarked
package dev.claimstream.systemtests.monitoring;

import org.jspecify.annotations.NullMarked;
