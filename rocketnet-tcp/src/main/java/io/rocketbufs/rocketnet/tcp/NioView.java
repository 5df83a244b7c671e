package io.rocketbufs.rocketnet.tcp;

import java.nio.ByteBuffer;

/** A view of a window with its own position and limit. A new view is created only when the window changes. */
final class NioView {
    private ByteBuffer window;
    private ByteBuffer view;

    /** Returns the view with its position and limit set to the given range. */
    ByteBuffer of(ByteBuffer window, int offset, int length) {
        if (window != this.window) {
            this.window = window;
            view = window.duplicate();
        }
        return view.limit(offset + length).position(offset);
    }
}
