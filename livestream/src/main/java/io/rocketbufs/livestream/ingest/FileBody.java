package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;
import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.DescriptionLayout;
import io.rocketbufs.livestream.media.ChunkFacts;
import io.rocketbufs.livestream.media.MediaException;
import io.rocketbufs.livestream.media.MediaScanner;
import io.rocketbufs.livestream.media.Mp4Init;
import io.rocketbufs.livestream.media.Mp4Scanner;
import io.rocketbufs.livestream.media.TsScanner;
import io.rocketbufs.livestream.relay.RelayStream;
import io.rocketbufs.livestream.relay.StreamRefusal;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A handler for a file of an HLS push: a chunk of MPEG-TS or fragmented MP4, or the init segment of fragmented MP4. The
 * type is detected from the first bytes, because file names are not reliable.
 */
final class FileBody implements Body {
    private static final int HEAD_LENGTH = 8;

    private final StreamHold hold;
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private final ByteArrayOutputStream init = new ByteArrayOutputStream();
    private boolean isInit;
    private boolean isKnown;
    private Container container;
    private MediaScanner scanner;

    FileBody(StreamHold hold) {
        this.hold = hold;
    }

    @Override
    public boolean take(ByteBuf bytes) {
        ByteBuffer nio = bytes.nioBuffer();
        if (!isKnown) {
            if (head.size() + nio.remaining() < HEAD_LENGTH) {
                head.writeBytes(array(nio));
                return true;
            }
            recognise(head.toByteArray(), nio);
        }
        if (isInit) {
            return takeInit(nio);
        }
        if (!hold.take() || !begin()) {
            return false;
        }
        if (head.size() > 0) {
            ByteBuffer first = ByteBuffer.wrap(head.toByteArray());
            if (!add(first)) {
                return false;
            }
            head.reset();
        }
        return add(nio);
    }

    private void recognise(byte[] begun, ByteBuffer more) {
        ByteBuffer first = ByteBuffer.allocate(HEAD_LENGTH);
        first.put(begun)
                .put(more.slice(more.position(), HEAD_LENGTH - begun.length))
                .flip();
        String box = new String(first.array(), 4, 4, StandardCharsets.ISO_8859_1);
        if (first.get(0) == 'G') {
            container = Container.MPEG_TS;
        } else if (box.equals("ftyp")) {
            isInit = true;
        } else if (box.matches("styp|moof|sidx|prft|emsg")) {
            container = Container.FMP4;
        } else {
            throw new IngestRefusal(415, "the body is neither MPEG-TS nor fragmented MP4");
        }
        isKnown = true;
    }

    private boolean takeInit(ByteBuffer bytes) {
        init.writeBytes(head.toByteArray());
        head.reset();
        if (init.size() + bytes.remaining() > DescriptionLayout.MAX_INIT_LENGTH) {
            throw new IngestRefusal(
                    413, "the init segment is longer than " + DescriptionLayout.MAX_INIT_LENGTH + " bytes");
        }
        init.writeBytes(array(bytes));
        return true;
    }

    private boolean begin() {
        if (scanner == null && container == Container.MPEG_TS) {
            scanner = new TsScanner();
            hold.stream().describe(container, "", new byte[0]);
        } else if (scanner == null) {
            Mp4Init known = hold.stream().init();
            if (known == null) {
                throw new IngestRefusal(409, "the init segment must be sent before the first chunk");
            }
            scanner = new Mp4Scanner(known);
        }
        return true;
    }

    private boolean add(ByteBuffer bytes) {
        if (!hold.append(bytes)) {
            return false;
        }
        try {
            scanner.scan(bytes);
            return true;
        } catch (MediaException e) {
            throw new IngestRefusal(415, "the chunk " + e.getMessage());
        }
    }

    @Override
    public boolean end() {
        if (!isKnown) {
            throw new IngestRefusal(400, "the body is empty or too short");
        }
        if (isInit && !hold.take()) {
            return false;
        }
        try {
            if (isInit) {
                hold.stream().describe(Mp4Init.read(init.toByteArray()), init.toByteArray());
            } else {
                commit(scanner.finish());
            }
        } catch (StreamRefusal e) {
            throw new IngestRefusal(409, e.getMessage());
        } catch (MediaException e) {
            throw new IngestRefusal(400, (isInit ? "the init segment " : "the chunk ") + e.getMessage());
        }
        hold.release();
        return true;
    }

    private void commit(ChunkFacts facts) {
        RelayStream stream = hold.stream();
        stream.check(facts);
        if (!stream.commit(facts, 0)) {
            throw new IngestRefusal(410, "stream " + stream.name() + " has ended");
        }
    }

    @Override
    public String stream() {
        return hold.name();
    }

    @Override
    public void abort() {
        hold.release();
    }

    private static byte[] array(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        return copy;
    }
}
