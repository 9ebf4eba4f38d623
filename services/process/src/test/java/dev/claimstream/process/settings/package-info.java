@NullMarked
package dev.claimstream.process.settings;

import org.jspecify.annotations.NullMarked;
