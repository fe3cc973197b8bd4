"""Accounts in the admin: an administrator makes researchers and raters, sets passwords and ends accounts."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldBooleanWidget

# Label and help of the boxes that say what an account may do.
IS_RESEARCHER = {
    "label": _("Researcher"),
    "help_text": _(
        "Sets up studies and works on those of others that are shared with them. Otherwise, the account is for rating."
    ),
}
IS_ADMINISTRATOR = {
    "label": _("Administrator"),
    "help_text": _("May do everything in every study, and manages accounts."),
}
# What the site uses of an account; Django's groups and permissions decide nothing here.
ROLES = ("is_active", "is_staff", "is_superuser")


class NewAccountForm(UserCreationForm):  # type: ignore[misc]  # unfold ships no types
    """A new account, a researcher's unless the administrator says otherwise."""

    is_staff = forms.BooleanField(
        required=False,
        initial=True,
        label=IS_RESEARCHER["label"],
        help_text=IS_RESEARCHER["help_text"],
        widget=UnfoldBooleanWidget,
    )

    class Meta(UserCreationForm.Meta):  # type: ignore[misc]  # unfold ships no types
        fields = ("username", "first_name", "last_name", "email", "is_staff")


class AccountForm(UserChangeForm):  # type: ignore[misc]  # unfold ships no types
    """An account, with roles in this site's words."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, words in (("is_staff", IS_RESEARCHER), ("is_superuser", IS_ADMINISTRATOR)):
            if name in self.fields:
                vars(self.fields[name]).update(words)


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class AccountAdmin(UserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]  # unfold ships no types
    """The accounts of researchers and of raters who sign in."""

    form = AccountForm
    add_form = NewAccountForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "first_name", "last_name", "is_staff", "is_superuser", "is_active", "last_login")
    list_filter = ROLES
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (_("May"), {"fields": ROLES}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("username", "first_name", "last_name", "email", "is_staff", "password1", "password2"),
            },
        ),
    )
    readonly_fields = ("last_login", "date_joined")
    filter_horizontal = ()
