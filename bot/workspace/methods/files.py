"""files.*: the three calls of an external upload."""

from __future__ import annotations

from dataclasses import replace

from bot.workspace.methods.conversations import joined
from bot.workspace.model import Json, Message, UploadedFile
from bot.workspace.posting import known_root
from bot.workspace.refusal import Refusal
from bot.workspace.world import World

MIME_TYPES = {
    "json": "application/json",
    "md": "text/plain",
    "png": "image/png",
    "txt": "text/plain",
}
"""Types that Slack names by the end of a file's name."""


def get_upload_url(world: World, args: Json) -> Json:
    """Answer files.getUploadURLExternal; the server adds its address to the url."""
    size_bytes = int(args["length"])
    if size_bytes <= 0:
        raise Refusal("invalid_arguments", ["length must be above 0"])
    file = UploadedFile(
        id=world.next_id("F"),
        name=args["filename"],
        size_bytes=size_bytes,
        alt_text=str(args.get("alt_txt") or ""),
    )
    _keep(world, file)
    return {"upload_url": f"/upload/{file.id}", "file_id": file.id}


def receive(world: World, file_id: str, content: bytes) -> UploadedFile:
    """Take the bytes of the second call; their number must be the one announced."""
    file = world.files.get(file_id)
    if file is None or file.content is not None:
        raise Refusal("file_not_found")
    if len(content) != file.size_bytes:
        raise Refusal("length_mismatch")
    return _keep(world, replace(file, content=content))


def complete_upload(world: World, args: Json) -> Json:
    """Answer files.completeUploadExternal and share the files where it says."""
    done = [_completed(world, item) for item in args["files"]]
    if args.get("channel_id"):
        _share(world, args, done)
    return {"files": [file_json(file) for file in done]}


def info(world: World, args: Json) -> Json:
    """Answer files.info."""
    file = world.files.get(args["file"])
    if file is None or file.content is None:
        raise Refusal("file_not_found")
    return {"file": file_json(file)}


def uploaded_by_a_person(
    world: World, user: str, name: str, content: bytes, *, base_url: str
) -> UploadedFile:
    """Keep a file that a person uploaded and shared with a message."""
    file_id = world.next_id("F")
    return _keep(
        world,
        UploadedFile(
            id=file_id,
            name=name,
            size_bytes=len(content),
            content=content,
            shared=True,
            user=user,
            download_url=f"{base_url}/download/{file_id}",
            created_s=int(world.clock.now_s()),
        ),
    )


def file_json(file: UploadedFile) -> Json:
    """Return a file as messages and files.info show it."""
    address = file.download_url or f"/files/{file.id}"
    kind = file.name.rpartition(".")[2].lower()
    return {
        "id": file.id,
        "created": file.created_s,
        "timestamp": file.created_s,
        "name": file.name,
        "title": file.title or file.name,
        "mimetype": MIME_TYPES.get(kind, "application/octet-stream"),
        "filetype": kind if kind in MIME_TYPES else "binary",
        "user": file.user,
        "mode": "hosted",
        "size": file.size_bytes,
        "is_external": False,
        "alt_txt": file.alt_text,
        "url_private": address,
        "url_private_download": address,
        "file_access": "visible",
    }


def _completed(world: World, item: Json) -> UploadedFile:
    file = world.files.get(item.get("id", ""))
    if file is None or file.content is None or file.shared:
        raise Refusal("file_not_found")
    return replace(file, title=str(item.get("title") or file.name), shared=True)


def _share(world: World, args: Json, done: list[UploadedFile]) -> None:
    channel = joined(world, args["channel_id"])
    for file in done:
        _keep(world, file)
    world.put(
        Message(
            channel.id,
            world.next_ts(),
            world.app.user.id,
            text=str(args.get("initial_comment") or ""),
            files=tuple(file_json(file) for file in done),
            thread_ts=known_root(world, channel.id, args.get("thread_ts")),
            bot_id=world.app.bot_id,
        )
    )


def _keep(world: World, file: UploadedFile) -> UploadedFile:
    with world.change():
        world.files[file.id] = file
    return file
