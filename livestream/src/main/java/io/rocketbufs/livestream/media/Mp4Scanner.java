package io.rocketbufs.livestream.media;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/**
 * A scanner of a fragmented MP4 chunk. It collects the metadata of the fragments, which is short, and skips the media
 * data.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
public final class Mp4Scanner implements MediaScanner {
    private static final int MOOF = Mp4Boxes.name("moof");
    private static final int MDAT = Mp4Boxes.name("mdat");
    private static final int MAX_MOOF_LENGTH = 1 << 20;

    private final Mp4Fragments fragments;
    private final ByteBuffer header = ByteBuffer.allocate(Mp4Boxes.LONG_HEADER_LENGTH);
    private final ByteArrayOutputStream moof = new ByteArrayOutputStream();
    private int name;
    private long left;
    private boolean inBox;
    private boolean hasMedia;

    /** Creates a scanner of a chunk that belongs to an init segment. */
    public Mp4Scanner(Mp4Init init) {
        this.fragments = new Mp4Fragments(init);
        header.limit(Mp4Boxes.HEADER_LENGTH);
    }

    @Override
    public void scan(ByteBuffer bytes) {
        ByteBuffer rest = bytes.duplicate();
        while (rest.hasRemaining()) {
            if (inBox) {
                content(rest);
            } else {
                header(rest);
            }
        }
    }

    private void header(ByteBuffer rest) {
        while (header.hasRemaining() && rest.hasRemaining()) {
            header.put(rest.get());
        }
        if (header.hasRemaining()) {
            return;
        }
        long length = header.getInt(0) & 0xffff_ffffL;
        if (length == 1 && header.limit() == Mp4Boxes.HEADER_LENGTH) {
            header.limit(Mp4Boxes.LONG_HEADER_LENGTH);
            return;
        }
        name = header.getInt(4);
        length = length == 1 ? header.getLong(Mp4Boxes.HEADER_LENGTH) : length;
        left = length - header.limit();
        if (left < 0 || name == MOOF && left > MAX_MOOF_LENGTH) {
            throw new MediaException("has a box " + Mp4Boxes.letters(name) + " with invalid length=" + length);
        }
        hasMedia |= name == MDAT;
        inBox = true;
        header.clear().limit(Mp4Boxes.HEADER_LENGTH);
        endIfOver();
    }

    private void content(ByteBuffer rest) {
        int count = (int) Math.min(left, rest.remaining());
        if (name == MOOF) {
            byte[] piece = new byte[count];
            rest.get(piece);
            moof.writeBytes(piece);
        } else {
            rest.position(rest.position() + count);
        }
        left -= count;
        endIfOver();
    }

    private void endIfOver() {
        if (left > 0) {
            return;
        }
        inBox = false;
        if (name == MOOF) {
            try {
                fragments.read(ByteBuffer.wrap(moof.toByteArray()));
            } catch (IndexOutOfBoundsException e) {
                throw new MediaException("has a box that is too short");
            }
            moof.reset();
        }
    }

    @Override
    public ChunkFacts finish() {
        if (inBox || header.position() > 0) {
            throw new MediaException("ends in the middle of a box");
        }
        if (!hasMedia) {
            throw new MediaException("contains no media");
        }
        return fragments.facts();
    }
}
