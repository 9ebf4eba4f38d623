@NullMarked
package dev.claimstream.systemtests.page;

import org.jspecify.annotations.NullMarked;
