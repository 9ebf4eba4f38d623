@NullMarked
package dev.claimstream.agent;

import org.jspecify.annotations.NullMarked;
